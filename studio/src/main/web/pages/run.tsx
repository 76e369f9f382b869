export function RunPage(_: { id: string }) { return null; }
