import { topologyThat, type RunningService } from './service.ts';

/** A job of action `create` that prints this and then fails, so that nothing else is in its log. */
export async function jobThatPrints(service: RunningService, ...commands: string[]): Promise<string> {
  const workdir = service.ground.makeWorkdir(`log-${Math.random()}`);
  return service.start({
    action: 'create',
    workdir,
    topology: topologyThat(`${commands.join('; ')}; exit 9`),
  });
}
