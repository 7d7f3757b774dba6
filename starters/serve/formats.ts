/** Forms of what `up` and `worker` write to stderr. */
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Service managers that `up --print-unit` knows. */
export const UNIT_FORMATS = ['systemd', 'launchd', 'cron'] as const;
export type UnitFormat = (typeof UNIT_FORMATS)[number];
