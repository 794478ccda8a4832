/** What a reader does when the linter refuses an import: one sentence or more for each part of src. */
export const toEngine =
  'src/engine imports engine and lib only: it is a lab CLI of its own and knows nothing of jobs or HTTP. Its rooms from the bottom to the top: core; topology, routing, system; addressing, state; lab, namespaces, validation; commands; program. Move what two of them need into a lower one.';
export const toLabs =
  'src/labs imports labs and lib only: take the value as a parameter, and let the caller (jobs, http or cli) bring it. Its rooms from the bottom to the top: option-kinds, actions, options, job-result, run and allowed-roots; drivers; topologies, status, ids, picture and workspaces; nodes; the other files of src/labs. A driver knows nothing of the other drivers, except that the one of the engine speaks as netlab does.';
export const toJobs =
  'src/jobs imports jobs, lib and of labs only the argument list (labs/actions.ts, labs/option-kinds.ts, labs/options.ts) and the result (labs/job-result.ts): declare what you need as a parameter or an interface, and let bootstrap.ts pass it in. Its rooms from the bottom to the top: model, store, log, run, intake and view, and the files of src/jobs itself; job-service.ts, the port, knows model alone.';
export const toEvents =
  'src/events imports events, jobs, labs and lib only: let bootstrap.ts pass in the rest. Its rooms from the bottom to the top: model, the port; webhooks, and the files of src/events itself.';
export const toLeases =
  'src/leases imports leases, jobs, labs and lib only: let service.ts pass in the rest. lease-service.ts is its port.';
export const toAccess =
  'src/access says who may do what, and others ask it: it imports access and lib only, and access/model, which all may know, lib alone.';
export const toOwners =
  'src/owners imports owners, jobs/model, labs/actions.ts and lib only: let service.ts pass in the rest. owner-service.ts is its port.';
export const toRestricted =
  'src/restricted shows the ports of the service to one user: it imports access/model, labs, lib, of jobs only job-service.ts and model/, of events only model/, and of leases and owners only their ports. Whoever needs a restricted part takes it from there.';
export const toHttp =
  'src/http imports config, labs, lib, access/model, restricted, of jobs only job-service.ts and model/, of events only model/, and of leases and owners only their ports: let bootstrap.ts pass in what the application needs. Its rooms from the bottom to the top: reply, request; middleware; context and route; openapi; routers; app.';
export const toRoot =
  'The files of src itself only join the parts: put the work into the folder that it belongs to.';
