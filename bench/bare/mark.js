/** Marks the moment when the window shows something. */
requestAnimationFrame(() => performance.mark('shown'));
