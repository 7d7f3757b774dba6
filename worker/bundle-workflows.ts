/**
 * Bundles the compiled workflows once, at build time, into `workflow-bundle.cjs` beside this file. A worker that finds it
 * starts a second or two sooner. Run by `npm run build`.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('../workflows/index.js', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
await writeFile(new URL('./workflow-bundle.cjs', import.meta.url), code);
