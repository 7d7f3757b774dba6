export { freePort } from '../free-port.mjs';
