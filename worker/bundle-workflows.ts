import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';

/** What the workflows are bundled with, besides where they are. What the SDK is to put into their sandbox (interceptors, say) goes here. */
const OPTIONS = { logger: new DefaultLogger('WARN') } satisfies Omit<BundleOptions, 'workflowsPath'>;

/** The workflows at this path as one script for the sandbox: made by the build, or at a worker's start where the code runs from its source. */
export async function bundleWorkflows(workflowsPath: string): Promise<string> {
  const { code } = await bundleWorkflowCode({ ...OPTIONS, workflowsPath });
  return code;
}
