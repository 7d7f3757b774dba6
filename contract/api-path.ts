/** Path of the API on its host; every base address ends in it. */
export const API_PATH = '/api/open/v1';
