import { fileURLToPath } from 'node:url';
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type DataConverter,
  type LoadedDataConverter,
} from '@temporalio/common';
import { EncryptionCodec } from './payload-codec.ts';
import type { PayloadKeys } from './payload-keys.ts';

/** Returns the data converter for clients. If a key encrypts, messages of failures become encrypted payloads, too. */
export function clientConverter(keys: PayloadKeys): LoadedDataConverter {
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: keys.writes !== undefined }),
    payloadCodecs: [new EncryptionCodec(keys)],
  };
}

/**
 * Returns the data converter for workers. They load the failure converter from a file; the sandbox of their workflows
 * has its own, `workflows/encode-failures.ts`.
 */
export function workerConverter(keys: PayloadKeys): DataConverter {
  return {
    payloadCodecs: [new EncryptionCodec(keys)],
    ...(keys.writes === undefined
      ? {}
      : { failureConverterPath: fileURLToPath(new URL('./encode-failures.cjs', import.meta.url)) }),
  };
}
