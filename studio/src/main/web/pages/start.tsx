export function StartPage() { return null; }
