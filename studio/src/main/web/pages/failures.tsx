export function FailuresPage(_: { id?: string }) { return null; }
