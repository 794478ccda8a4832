/** What a host shows another one with each request. */
export const passHeader = 'x-lab-api-pass';
