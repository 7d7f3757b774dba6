import { jest } from '@jest/globals';
import { setPatience } from './wait-for.ts';

/**
 * The limit of a live test, ms, for one that hangs: the slowest takes a minute where nothing else runs, and three times as long where
 * much does. (`testTimeout` holds for all projects or none.)
 */
jest.setTimeout(240_000);
setPatience(120_000);
