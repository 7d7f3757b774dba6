import type { Operation } from '../../contract/row-kinds.ts';
import type { JobOperation } from '../speech-api.ts';
import { lipSyncJob } from './lip-sync-job.ts';
import type { JobOperationClient, OperationClient } from './operation-client.ts';
import { speechJob } from './speech-job.ts';
import { speechSync } from './speech-sync.ts';
import { transcription } from './transcription.ts';

/** Every paid operation of the API. A new one is a file here and an entry of the contract. */
export const OPERATION_CLIENTS: Readonly<
  Record<Operation, OperationClient> & Record<JobOperation, JobOperationClient>
> = {
  'speech-job': speechJob,
  'speech-sync': speechSync,
  transcription,
  'lip-sync-job': lipSyncJob,
};
