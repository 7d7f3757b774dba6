import { DefaultFailureConverter } from '@temporalio/common';

/**
 * The failure converter in the workflows' sandbox. A worker that encrypts sets a global before the bundle runs
 * (`worker/bundle-workflows.ts`): messages and stack traces of failures then become payloads, which the codec encrypts.
 */
export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: 'voxbatchEncodesFailures' in globalThis,
});
