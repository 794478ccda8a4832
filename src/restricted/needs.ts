/** What a request needs to be allowed to do with the thing that it is about. `make`: with a workspace that may not be there yet. */
export type Needs = 'read' | 'change' | 'give' | 'make';
