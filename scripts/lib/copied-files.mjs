const swaggerUi = 'node_modules/swagger-ui-dist';

/**
 * Files that the build copies into dist, by directory: the reference page (GET /docs) with the files of Swagger UI that it needs, and
 * the programs that netlab calls for labs in namespaces.
 */
export const copiedFiles = {
  reference: [
    'web/reference/index.html',
    'web/reference/start.js',
    'web/reference/style.css',
    `${swaggerUi}/swagger-ui-bundle.js.LICENSE.txt`,
    `${swaggerUi}/LICENSE`,
    `${swaggerUi}/NOTICE`,
  ],
  'engine/runtime': ['docker', 'containerlab', 'netlab', 'stand-in.sh', 'sudo', 'tcpdump', 'capture.py'].map(
    (name) => `src/engine/runtime/bin/${name}`,
  ),
};

/** Files that the build puts there compressed with gzip, under a name that ends with `.gz`: they are large. */
export const compressedFiles = {
  reference: [`${swaggerUi}/swagger-ui-bundle.js`, `${swaggerUi}/swagger-ui.css`],
};
