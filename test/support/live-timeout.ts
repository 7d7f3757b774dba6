import { jest } from '@jest/globals';
import { setPatience } from './wait-for.ts';

/**
 * The limit of a live test, ms, for one that hangs: the slowest takes a minute where nothing else runs, and many times as long on a slow
 * machine with much else to do. (`testTimeout` holds for all projects or none.)
 */
jest.setTimeout(900_000);
setPatience(240_000);
