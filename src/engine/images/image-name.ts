/** Names of images (github.com/distribution/reference): `[registry/]repository[:tag]`, without a digest. */

const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?\/)?`;
const component = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const grammar = new RegExp(String.raw`^${host}${component}(?:/${component})*:\w[\w.-]{0,127}$`);

/** A file is named after the image. */
const maxEncodedLength = 200;

/** With the tag `latest` if there is none, and without Docker's own registry, which need not be written. */
export function imageName(given: string): string {
  const name = given.replace(/^(?:(?:docker\.io|library)\/)+/, '');
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}

/** Whether an image can have this name. */
export function isImageName(given: string): boolean {
  const name = imageName(given);
  return (
    name.length <= maxEncodedLength &&
    grammar.test(name) &&
    encodeURIComponent(name).length <= maxEncodedLength
  );
}
