import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/**
 * Has the server make requests and replies with the prototypes that Express would give them. Express sets the prototype of
 * each when it comes, for which V8 forgets what it knows of the object, and then everything that Node does with it is slow:
 * three quarters of the processor time of a small request. To set the prototype that is there already costs nothing.
 */
export function withExpressPrototypes(
  app: Express,
): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  // Express's own methods stand between these classes and Node's.
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
