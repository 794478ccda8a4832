/** What a lab CLI can be asked to do. */
export const actions = ['up', 'create', 'down', 'collect', 'status'] as const;

export type Action = (typeof actions)[number];
