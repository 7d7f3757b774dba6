/**
 * Public API of the package `voxbatch`. Everything exported here is stable within a major version; the only other
 * importable entry point is `voxbatch/simulator` (docs/decisions/library-api.md).
 */
export { openVoxbatch } from './voxbatch.ts';
export type { LipSyncOptions, SayOptions, TranscribeOptions, Voxbatch } from './voxbatch.ts';
export type { JobResult } from './single/single-answer.ts';
export type { SingleAnswer, SingleJobOptions } from './single/single-answer.ts';
export type { PlanAnswer } from './run/plan.ts';
export type { RunAnswer, RunFunctions } from './run/run-functions.ts';
export type { RunOptions } from './run/check-run.ts';
export type { AccountFunctions } from './account/account-functions.ts';
export type { ChangedField, FieldResult, ProfileChange } from './account/account-functions.ts';
export type { CreateVoiceOptions, VoiceFunctions } from './voices/voice-functions.ts';
export type { DeletedVoice } from './voices/delete-voice.ts';
export type { ShownVoice } from './voices/find-voice.ts';
export type { ListWish, VoiceList } from './voices/find-voice.ts';
export type { Profile, Voice } from '../api/speech-api.ts';
export type { Batch, ReconcileAnswer, RedriveAnswer, RunningBatch } from './batch.ts';
export type { CompareOptions } from './compare/compare.ts';
export type { ReconcileOptions } from './reconcile/reconcile-options.ts';
export type { RedriveCheck, RedriveOptions } from './redrive/redrive-options.ts';
export type { Finding, Trouble } from './doctor/doctor.ts';
export type { FollowEvent } from './status/follow.ts';
export type { TemporalCluster, VoxbatchOptions } from './read-options.ts';
export type { OwnColumn, OwnOperation } from '../contract/own-operations/own-operation.ts';
export type { WebhookEvent } from './webhooks/webhook-options.ts';
export type { MetricsOptions } from './metrics/metrics-options.ts';
export type { WebhookOptions } from './webhooks/webhook-options.ts';
export { VoxbatchError } from './problem.ts';
export type { Problem } from './problem-types.ts';
