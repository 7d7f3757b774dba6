import { fileURLToPath } from 'node:url';
import {
  DefaultFailureConverter,
  defaultPayloadConverter,
  type DataConverter,
  type LoadedDataConverter,
} from '@temporalio/common';
import { EncryptionCodec } from './payload-codec.ts';
import type { PayloadKeys } from './payload-keys.ts';

/** For clients. Messages of failures become payloads, too, if anything is encrypted. */
export function clientConverter(keys: PayloadKeys): LoadedDataConverter {
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: keys.writes !== undefined }),
    payloadCodecs: [new EncryptionCodec(keys)],
  };
}

/**
 * For workers, which load the converter of failures by its path. Their sandbox has its own:
 * `workflows/encode-failures.ts`.
 */
export function workerConverter(keys: PayloadKeys): DataConverter {
  return {
    payloadCodecs: [new EncryptionCodec(keys)],
    ...(keys.writes === undefined
      ? {}
      : { failureConverterPath: fileURLToPath(new URL('./encode-failures.cjs', import.meta.url)) }),
  };
}
