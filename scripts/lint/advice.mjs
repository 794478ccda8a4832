/** What a reader does when the linter refuses an import: one sentence or more for each part of src. */
export const lib =
  'src/lib imports Node and its own files only and knows nothing of the product: take the value as a parameter, or move this file into the layer that uses it.';
export const engine =
  'src/engine imports engine and lib only: it is a lab CLI of its own and knows nothing of jobs or HTTP. Its rooms from the bottom to the top: core; topology, routing, system; addressing, state; lab, namespaces, validation; commands; program. Move what two of them need into a lower one.';
export const labs =
  'src/labs imports labs and lib only: take the value as a parameter, and let the caller (jobs, http or cli) bring it. Its rooms from the bottom to the top: option-kinds, actions, options, job-result, run and allowed-roots; drivers; topologies, templates, status, ids, picture and workspaces; nodes; the other files of src/labs. A driver knows nothing of the other drivers, except that the one of the engine speaks as netlab does.';
export const jobs =
  'src/jobs imports jobs, lib and of labs only the argument list (labs/model/actions.ts, labs/model/option-kinds.ts, labs/model/options.ts) and the result (labs/model/job-result.ts): declare what you need as a parameter or an interface, and let bootstrap.ts pass it in. Its rooms from the bottom to the top: model, store, log, run, intake and view, and the files of src/jobs itself; job-service.ts, the port, knows model alone.';
export const events =
  'src/events imports events, jobs, labs and lib only: let bootstrap.ts pass in the rest. Its rooms from the bottom to the top: model, the port; webhooks, and the files of src/events itself.';
export const leases =
  'src/leases imports leases, jobs, labs and lib only: let service.ts pass in the rest. lease-service.ts is its port.';
export const access =
  'src/access says who may do what, and others ask it: it imports access and lib only, and access/model, which all may know, lib alone.';
export const owners =
  'src/owners imports owners, jobs/model, labs/model/actions.ts and lib only: let service.ts pass in the rest. owner-service.ts is its port.';
export const restricted =
  'src/restricted shows the ports of the service to one user: it imports access/model, labs, lib, of jobs only job-service.ts and model/, of events only model/, and of leases and owners only their ports. Whoever needs a restricted part takes it from there.';
export const cluster =
  'src/cluster finds the other hosts and hands work over: it imports cluster, access/model, of jobs only job-service.ts and model/, and lib. cluster/model is what HTTP may know of it. Let join-cluster.ts bring the rest.';
export const http =
  'src/http imports config, labs, lib, access/model, restricted, of jobs only job-service.ts and model/, of events only model/, of cluster only model/, and of leases and owners only their ports: let bootstrap.ts pass in what the application needs. Its rooms from the bottom to the top: reply, request; middleware; context and route; openapi, cluster; route-table; routers; app.';
export const root =
  'The files of src itself only join the parts: put the work into the folder that it belongs to.';
export const metrics =
  'src/metrics counts what others tell it: it imports lib, labs/model/actions.ts, labs/drivers, labs/status, jobs/job-service.ts, jobs/model and http/http-observer.ts only. Let service.ts pass in what it is to look at.';
export const doctor =
  'src/doctor looks at the machine and starts no service: it imports access, config, labs, lib, tls, jobs/store/data-dir-owner.ts and engine/system/privileges.ts only.';
export const mcp =
  'src/mcp imports mcp, client and lib only: its tools are a client of the service like any other.';
export const cli =
  'src/cli turns a command line into a call: it imports bootstrap, service, doctor, client, config, labs, lib, version and of the engine only engine/program.ts and engine/perform.ts. Have bootstrap.ts build what needs jobs or http.';
export const remote =
  'src/cli/remote turns a command line into requests to a service: it imports client, mcp, labs/actions, labs/options and lib only.';
export const usersCommands =
  'src/cli/users turns a command line into an edit of the users file: it imports access, cli/remote and lib only.';
