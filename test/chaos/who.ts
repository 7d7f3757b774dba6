/** Who has links of their own to what all share. */
export const WHO = ['worker-1', 'worker-2', 'cli'] as const;
export type Who = (typeof WHO)[number];
