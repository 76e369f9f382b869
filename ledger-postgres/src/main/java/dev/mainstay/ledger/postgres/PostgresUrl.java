package dev.mainstay.ledger.postgres;

/** URLs as they may be shown. */
final class PostgresUrl {
  private PostgresUrl() {}

  /** Without its query, in which the password is, and without what stands before the host. */
  static String withoutPassword(String url) {
    int query = url.indexOf('?');
    var shown = query < 0 ? url : url.substring(0, query);
    int slashes = shown.indexOf("//");
    int at = shown.lastIndexOf('@');
    return slashes >= 0 && at > slashes
        ? shown.substring(0, slashes + 2) + shown.substring(at + 1)
        : shown;
  }
}
