/**
 * When a job's webhook is sent. `drawn`: per job, one of the other modes, drawn from the seed. `each`: once, when the
 * job ends. `early`: only before it ends. `late`: up to 2 s after its end. `twice`: before its end and at its end.
 * `forged`: like `each`, surrounded by forged ones. `never`: not at all.
 */
export const WEBHOOK_MODES = ['drawn', 'each', 'early', 'late', 'twice', 'forged', 'never'] as const;
/** When, and how often, one job is announced. */
export type WebhookMode = (typeof WEBHOOK_MODES)[number];
