package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Environment;
import dev.mainstay.core.settings.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Writes the reference page out of the declarations of the settings. */
public final class ReferenceWriter {
  private final StringBuilder page = new StringBuilder();
  private final List<Runnable> later = new ArrayList<>();

  private ReferenceWriter() {}

  /** The page, in Markdown. */
  public static String write() {
    var writer = new ReferenceWriter();
    writer.page.append(
        """
        # Configuration reference

        Every setting with its default and its range, as the program reads it. [configuration.md](configuration.md) explains how
        they work together. This page is generated: `./mainstay config reference > docs/configuration-reference.md`.

        A variable in the last column sets the same value from the environment, over the file. Variables of `recovery` hold for the
        top of the file; a model's or an agent's own `recovery` beats them. `GET /api/config` says of each value where it comes from.
        """);
    for (var each : Declaration.of(Config.class)) {
      writer.top(each);
    }
    return writer.page.toString();
  }

  private void top(Declaration each) {
    var path = place(each.name(), each);
    section(path, each.setting().value(), each);
    while (!later.isEmpty()) {
      later.removeFirst().run();
    }
  }

  private void section(String path, String meaning, Declaration each) {
    page.append("\n## ").append(path).append("\n\n").append(meaning).append("\n");
    if (!each.setting().shortFor().isEmpty()) {
      page.append("A plain value stands for `").append(each.setting().shortFor()).append("`.\n");
    }
    page.append("\n| setting | default | allowed | meaning | variable |\n|---|---|---|---|---|\n");
    var record = each.section();
    if (record == null) {
      row(path, each);
    } else {
      rows(path, "", "required", record);
    }
  }

  /**
   * @param required what stands as the default of a setting that must be given
   */
  private void rows(String path, String prefix, String required, Class<? extends Record> record) {
    for (var each : Declaration.of(record)) {
      var name = prefix + each.name();
      var below = path + "." + name;
      switch (each.shape()) {
        case INLINE -> rows(path, prefix, required, Objects.requireNonNull(each.section()));
        case KEY -> {}
        case SECTION -> {
          if (each.setting().inherited()) {
            line(name, "as in `recovery`", "a section", each.setting().value(), "");
          } else if (each.setting().shortFor().isEmpty()) {
            var within = each.setting().optional() ? "required with `" + name + "`" : required;
            rows(path, name + ".", within, Objects.requireNonNull(each.section()));
          } else {
            line(name, otherwise(each, required), "see below", each.setting().value(), "");
            later.add(() -> section(below, each.setting().value(), each));
          }
        }
        case SECTIONS, NAMED_SECTIONS -> {
          line(name, otherwise(each, required), "see below", each.setting().value(), "");
          later.add(() -> section(place(below, each), each.setting().value(), each));
        }
        default -> row(path, prefix, required, each);
      }
    }
  }

  private void row(String path, Declaration each) {
    line(path, defaultOf(each, "required"), allowed(each), each.setting().value(), "");
  }

  private void row(String path, String prefix, String required, Declaration each) {
    var name = prefix + each.name();
    boolean variable =
        path.indexOf('[') < 0
            && !path.endsWith(".NAME")
            && Declaration.values(Config.class, "").containsKey(path + "." + name);
    line(
        name,
        defaultOf(each, required),
        allowed(each),
        each.setting().value(),
        variable ? "`" + Environment.variable(path + "." + name) + "`" : "");
  }

  private void line(
      String name, String byDefault, String allowed, String meaning, String variable) {
    page.append("| `")
        .append(name)
        .append("` | ")
        .append(byDefault)
        .append(" | ")
        .append(allowed.replace("|", "\\|"))
        .append(" | ")
        .append(meaning.replace("|", "\\|"))
        .append(" | ")
        .append(variable)
        .append(" |\n");
  }

  private static String defaultOf(Declaration each, String required) {
    var text = each.setting().byDefault();
    return text.equals(Setting.NONE) || text.isEmpty()
        ? otherwise(each, required)
        : "`" + text + "`";
  }

  private static String otherwise(Declaration each, String required) {
    return each.setting().required() ? required : each.setting().otherwise();
  }

  private static String allowed(Declaration each) {
    return switch (each.shape()) {
      case VALUES -> "a list of: " + each.allowed();
      case NAMED_VALUES -> "names with values: " + each.allowed();
      case TREE -> "any mapping";
      // What durations and sizes look like is said once, in configuration.md.
      default -> each.allowed().replaceAll(" such as .* or (9m30s|20GiB)", "");
    };
  }

  /** The path of what is in a section, or in one of several. */
  private static String place(String path, Declaration each) {
    return switch (each.shape()) {
      case NAMED_SECTIONS -> path + ".NAME";
      case SECTIONS -> path + "[]";
      default -> path;
    };
  }
}
