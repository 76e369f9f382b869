package dev.mainstay.ledger.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Values of an SQL list. The last value is repeated up to a power of two, so that lists of all
 * lengths make few different statements: {@link Db} keeps each.
 */
record InList(List<String> values) {
  /**
   * @param values at least one
   */
  static InList of(Collection<String> values) {
    var all = new ArrayList<String>(values.size() * 2);
    values.forEach(value -> all.add(CallRows.kept(value)));
    while (Integer.bitCount(all.size()) != 1) {
      all.add(all.getLast());
    }
    return new InList(all);
  }

  /** A list of single values: {@code (?,?)}. */
  String places() {
    return "(" + String.join(",", Collections.nCopies(values.size(), "?")) + ")";
  }

  /** A table of one column: {@code values (cast(? as text))}, so that each place has its type. */
  String rows() {
    return "values " + String.join(",", Collections.nCopies(values.size(), "(cast(? as text))"));
  }
}
