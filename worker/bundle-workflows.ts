import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';

/** Bundle options, except the paths. What the SDK should put into the sandbox, such as interceptors, belongs here. */
const OPTIONS = { logger: new DefaultLogger('WARN') } satisfies Omit<BundleOptions, 'workflowsPath'>;

/**
 * Bundles the workflows at this path into one script for the sandbox, and returns its code. Called by the build, or at
 * a worker's start when it runs from source.
 */
export async function bundleWorkflows(workflowsPath: string): Promise<string> {
  const failureConverterPath = join(dirname(workflowsPath), 'encode-failures.ts');
  const { code } = await bundleWorkflowCode({ ...OPTIONS, workflowsPath, failureConverterPath });
  return code;
}

/**
 * Returns the bundle for a worker that encrypts payloads. In it, messages of failures become payloads, too
 * (`workflows/encode-failures.ts`).
 */
export function withEncodedFailures(code: string): string {
  // Without a line break, so that source maps still fit.
  return `globalThis.voxbatchEncodesFailures = true; ${code}`;
}
