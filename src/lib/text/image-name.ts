/** Names of images (github.com/distribution/reference): `[registry/]repository[:tag]`, without a digest. */

const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?\/)?`;
const component = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
export const imageNamePattern = new RegExp(
  String.raw`^${host}${component}(?:/${component})*(?::\w[\w.-]{0,127})?$`,
);

/** A file is named after the image, and each `/` of the name has three characters there. */
export const maxImageNameLength = 110;

/** With the tag `latest` if there is none, and without Docker's own registry, which need not be written. */
export function imageName(given: string): string {
  const name = given.replace(/^(?:(?:docker\.io|library)\/)+/, '');
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}

/** Whether an image can have this name. */
export function isImageName(given: string): boolean {
  return given.length <= maxImageNameLength && imageNamePattern.test(imageName(given));
}
