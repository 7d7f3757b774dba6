import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';

/** Bundle options, except the path. Anything the SDK should put into the sandbox (interceptors, say) goes here. */
const OPTIONS = { logger: new DefaultLogger('WARN') } satisfies Omit<BundleOptions, 'workflowsPath'>;

/**
 * Bundles the workflows at this path into one script for the sandbox: in the build, or at a worker's start when it runs
 * from source.
 */
export async function bundleWorkflows(workflowsPath: string): Promise<string> {
  const failureConverterPath = join(dirname(workflowsPath), 'encode-failures.ts');
  const { code } = await bundleWorkflowCode({ ...OPTIONS, workflowsPath, failureConverterPath });
  return code;
}

/** The bundle of a worker that encrypts: messages of failures become payloads (`workflows/encode-failures.ts`). */
export function encodingFailures(code: string): string {
  // On the same line, so that source maps still fit.
  return `globalThis.voxbatchEncodesFailures = true; ${code}`;
}
