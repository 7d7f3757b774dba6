/**
 * When a job's webhook is sent. `drawn`: one of the others for each job, by the seed. `each`: once, when the job ends.
 * `early`: before it ends, and not again. `late`: up to 2 s after its end. `twice`: before its end, and at it. `forged`:
 * as `each`, with others from somebody else around it. `never`: not at all.
 */
export const WEBHOOK_MODES = ['drawn', 'each', 'early', 'late', 'twice', 'forged', 'never'] as const;
export type WebhookMode = (typeof WEBHOOK_MODES)[number];
