package dev.mainstay.core.classify;

import java.util.List;

/**
 * The rules of one file, in its order: the first that holds decides. Immutable.
 *
 * @param name the provider's name, or what the rules are for
 */
public final class RuleTable {
  private final String name;
  private final List<Rule> rules;

  RuleTable(String name, List<Rule> rules) {
    this.name = name;
    this.rules = List.copyOf(rules);
  }

  /**
   * Reads a table in the format of the files beside this class.
   *
   * @param name what to call it in errors, usually the file's name
   * @throws RuleSyntaxException naming the file and the line, with what was found and what is
   *     allowed
   */
  public static RuleTable parse(String name, String text) {
    return new RuleTable(name, new RuleParser(name, text).parse());
  }

  /** What it is called. */
  public String name() {
    return name;
  }

  /** How many rules it has. */
  public int size() {
    return rules.size();
  }

  List<Rule> rules() {
    return rules;
  }
}
