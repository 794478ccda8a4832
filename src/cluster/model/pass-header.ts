/** The header with which a host proves itself to another one. */
export const passHeader = 'x-lab-api-pass';
