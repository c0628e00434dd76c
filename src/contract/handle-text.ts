/**
 * The 64 bytes of a CUDA IPC handle as text, in the forms in which people meet them: hex, base64, Python bytes, C and
 * C# arrays, JSON. Reading is strict: a text either gives exactly the bytes it says, or a problem and the place where
 * it stops making sense. Printing is the inverse of reading. Handles inside of other text: paste/.
 */
export { type HandleForm, handleFormNames, handleForms, handleFormWords } from './handle-text/forms';
export { type HandleReading, MAX_HANDLE_TEXT, parseHandle } from './handle-text/parse';
export { printHandle } from './handle-text/print';
