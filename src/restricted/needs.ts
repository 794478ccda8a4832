/** The permission that a request needs for the thing that it is about. `make` is for a workspace that may not be there yet. */
export type Needs = 'read' | 'change' | 'give' | 'make';
