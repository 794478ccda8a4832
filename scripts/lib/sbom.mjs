/** The software bill of materials of an artifact, as CycloneDX 1.6 (ECMA-424) in JSON. */
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PackageURL } from 'packageurl-js';
import parseExpression from 'spdx-expression-parse';

const { ComponentBuilder } = Contrib.FromNodePackageJson.Builders;
const { ExternalReferenceFactory } = Contrib.FromNodePackageJson.Factories;
const builder = new ComponentBuilder(
  new ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseExpression),
);
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));

/**
 * @param {string} directory of a package of npm
 * @param {Enums.ComponentType} [type]
 * @returns {Models.Component}
 */
export function npmComponent(directory, type = Enums.ComponentType.Library) {
  const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const component = builder.makeComponent(manifest, type);
  if (component === undefined) throw new Error(`${directory}/package.json has no name`);
  const { group, name, version } = component;
  component.purl = new PackageURL('npm', group, name, version).toString();
  component.bomRef.value = component.purl;
  return component;
}

/** A program that is no package of npm. @param {string} name @param {string} version @param {string} license its SPDX id */
export function programComponent(name, version, license) {
  const purl = new PackageURL('generic', undefined, name, version).toString();
  const component = new Models.Component(Enums.ComponentType.Platform, name, { version, purl, bomRef: purl });
  component.licenses.add(new Models.SpdxLicense(license));
  return component;
}

/**
 * The bill of materials of lab-api with these components, sorted and without a date or a serial number: the same components give
 * the same bytes.
 *
 * @param {string} root the directory of lab-api
 * @param {Iterable<Models.Component>} components
 * @returns {string}
 */
export function billOfMaterials(root, components) {
  const application = npmComponent(root, Enums.ComponentType.Application);
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: application }) });
  for (const component of components) {
    bom.components.add(component);
    application.dependencies.add(component.bomRef);
  }
  return `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`;
}

/**
 * A bill of materials with more components.
 *
 * @param {string} bill
 * @param {string} root
 * @param {readonly Models.Component[]} components
 */
export function addToBill(bill, root, components) {
  const whole = JSON.parse(bill);
  const known = new Set(whole.components.map((/** @type {{ purl: string }} */ { purl }) => purl));
  const more = JSON.parse(
    billOfMaterials(
      root,
      components.filter(({ purl }) => !known.has(purl)),
    ),
  );
  whole.components.push(...more.components);
  whole.dependencies = [
    {
      ref: whole.metadata.component['bom-ref'],
      dependsOn: whole.components.map((/** @type {{ purl: string }} */ { purl }) => purl),
    },
  ];
  return `${JSON.stringify(whole)}\n`;
}
