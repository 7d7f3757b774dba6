/** Service managers that `up --print-unit` knows. */
export const UNIT_FORMATS = ['systemd', 'launchd', 'cron'] as const;
export type UnitFormat = (typeof UNIT_FORMATS)[number];
