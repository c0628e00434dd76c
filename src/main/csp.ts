/**
 * What pages of this app may load and do. Nothing comes from elsewhere, no script or style is inline, and no string
 * becomes code: `trusted-types 'none'` leaves no way to make one acceptable.
 */
const directives: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data: blob:",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};

export const contentSecurityPolicy = Object.entries(directives)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');
