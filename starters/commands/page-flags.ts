import { reading, type Flag } from './flag-values.ts';

const MOST = 65_535;

/** Where the page listens. */
export const PAGE_PORT: Flag = [
  '--port <port>',
  'Where it listens on this machine (default: any free port)',
  reading(
    (text) => (/^\d{1,5}$/.test(text) && Number(text) <= MOST ? Number(text) : undefined),
    'a port, such as 8085',
  ),
];
