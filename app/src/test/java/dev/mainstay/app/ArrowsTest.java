package dev.mainstay.app;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mainstay.core.verdict.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The direction of dependencies: arrows point down only, and what a module may use is said here.
 */
class ArrowsTest {
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.mainstay");

  /** A component for each section of the file: only the settings reader makes one, by name. */
  private static final Set<String> MANY_PARTS = Set.of("dev.mainstay.config.Config");

  static Stream<Arguments> modules() {
    return Stream.of(
        module("core"),
        module("library", "core"),
        module("http"),
        module("wire"),
        module("ledger"),
        module("call", "core", "http", "wire", "ledger"),
        module("config", "call", "core", "http", "wire", "ledger"),
        module("engine", "config", "call", "core", "http", "wire", "ledger"),
        module("agent", "engine", "config", "call", "core", "http", "wire", "ledger"),
        module("gateway", "engine", "config", "call", "core", "http", "wire", "ledger"),
        module("studio", "http"),
        module("simulator", "http"),
        module(
            "app",
            "gateway",
            "engine",
            "agent",
            "config",
            "studio",
            "simulator",
            "library",
            "call",
            "core",
            "http",
            "wire",
            "ledger"));
  }

  private static Arguments module(String name, String... below) {
    return Arguments.of(name, List.of(below));
  }

  @ParameterizedTest(name = "{0} knows {1} and no other module")
  @MethodSource("modules")
  void aModuleKnowsOnlyThoseBelowIt(String module, List<String> below) {
    var allowed = new ArrayList<>(below);
    allowed.add(module);
    var packages =
        allowed.stream().map(name -> "dev.mainstay." + name + "..").toArray(String[]::new);
    noClasses()
        .that(resideInAPackage("dev.mainstay." + module + ".."))
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.mainstay..").and(not(resideInAnyPackage(packages))))
        .check(ALL);
  }

  static Stream<Arguments> rooms() {
    return Stream.of(
        module(
            "call",
            "redact",
            "settings",
            "api",
            "upstream",
            "answer",
            "attempt",
            "recording",
            "request",
            "admission",
            "passthrough"),
        module("gateway", "telemetry", "alert", "api", "endpoint", "health", "admin"));
  }

  /** The packages of a module: each knows only those before it, and none the module's own. */
  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rooms")
  void thePackagesOfAModuleKnowOnlyThoseBelowThem(String module, List<String> rooms) {
    var all = "dev.mainstay." + module;
    for (int i = 0; i < rooms.size(); i++) {
      var above = new ArrayList<String>();
      above.add(all);
      rooms.subList(i + 1, rooms.size()).forEach(room -> above.add(all + "." + room));
      noClasses()
          .that()
          .resideInAPackage(all + "." + rooms.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(above.toArray(String[]::new))
          .check(ALL);
    }
    assertThat(
            ALL.stream()
                .map(type -> type.getPackageName())
                .filter(name -> name.startsWith(all + "."))
                .map(name -> name.substring(all.length() + 1))
                .distinct())
        .containsExactlyInAnyOrderElementsOf(rooms);
  }

  @Test
  void everyModuleIsHeldToIt() {
    var known = modules().map(arguments -> arguments.get()[0].toString()).toList();
    assertThat(ALL.stream().map(type -> type.getPackageName().split("\\.")[2]).distinct())
        .containsExactlyInAnyOrderElementsOf(known);
  }

  /** A failure is classified once, and in one place. */
  @Test
  void verdictsOnCallsAreMadeInCoreAlone() {
    noClasses()
        .that(not(resideInAPackage("dev.mainstay.core..")))
        .should()
        .callConstructorWhere(targetOwner(assignableTo(Verdict.class)))
        .orShould()
        .callMethod(Verdict.class, "with", Verdict.Advice.class)
        .check(ALL);
  }

  @Test
  void coreUsesTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage("dev.mainstay.core..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("dev.mainstay.core..", "java..", "org.jspecify..")
        .check(ALL);
  }

  @Test
  void coreDoesNoInputOrOutputButReadItsOwnRules() {
    only("core", "java.net..", "java.nio.channels..", "java.sql..", "java.util.logging..");
    noClasses()
        .that()
        .resideInAPackage("dev.mainstay.core..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .check(ALL);
  }

  @Test
  void corePatternsMatchInLinearTime() {
    only("core", "java.util.regex..");
  }

  @Test
  void sqlIsTheLedgersAlone() {
    noClasses()
        .that(
            not(
                resideInAnyPackage(
                    "dev.mainstay.ledger.sql..",
                    "dev.mainstay.ledger.sqlite..",
                    "dev.mainstay.ledger.postgres..")))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "org.sqlite..", "org.postgresql..")
        .check(ALL);
  }

  @Test
  void whichLedgerItIsTheWiringAloneKnows() {
    noClasses()
        .that(
            not(
                resideInAnyPackage(
                    "dev.mainstay.ledger.sql..",
                    "dev.mainstay.ledger.sqlite..",
                    "dev.mainstay.ledger.postgres..",
                    "dev.mainstay.app..")))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.mainstay.ledger.sql..",
            "dev.mainstay.ledger.sqlite..",
            "dev.mainstay.ledger.postgres..")
        .check(ALL);
  }

  /** Buffers and headers pass through the data path as they are; channels and loops do not. */
  @Test
  void nettyStaysInHttp() {
    noClasses()
        .that(not(resideInAnyPackage("dev.mainstay.http..")))
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.netty..")
                .and(
                    not(
                        resideInAnyPackage(
                            "io.netty.buffer", "io.netty.handler.codec.http", "io.netty.util"))))
        .check(ALL);
    noClasses()
        .that(
            resideInAnyPackage(
                "dev.mainstay.core..",
                "dev.mainstay.library..",
                "dev.mainstay.wire..",
                "dev.mainstay.ledger..",
                "dev.mainstay.app.."))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..")
        .check(ALL);
  }

  @Test
  void modulesFormNoCycle() {
    slices().matching("dev.mainstay.(*)..").should().beFreeOfCycles().check(ALL);
  }

  @Test
  void standardOutputBelongsToTheCommandLine() {
    noClasses()
        .that(not(resideInAPackage("dev.mainstay.app..")))
        .should()
        .accessField(System.class, "out")
        .orShould()
        .accessField(System.class, "err")
        .check(ALL);
  }

  /**
   * The cache that the launcher makes takes no class of a library that was compiled for Java 5, and
   * JDK 25 fails to write it where a call site is linked to a method of one.
   */
  @Test
  void noMethodReferenceLeadsToAClassTooOldForTheCache() {
    assertThat(
            ALL.stream()
                .flatMap(
                    type ->
                        Stream.concat(
                            type.getMethodReferencesFromSelf().stream(),
                            type.getConstructorReferencesFromSelf().stream()))
                .filter(
                    reference ->
                        resideInAnyPackage("picocli..", "org.brotli..")
                            .test(reference.getTargetOwner())))
        .isEmpty();
  }

  /** Ten parts and more want to be grouped by what they mean. */
  @Test
  void constructorsTakeFewerThanTenParameters() {
    assertThat(
            ALL.stream()
                .filter(
                    type -> !type.isAnonymousClass() && !MANY_PARTS.contains(type.getFullName()))
                .flatMap(type -> type.getConstructors().stream())
                .filter(constructor -> declared(constructor) >= 10)
                .map(JavaConstructor::getFullName))
        .isEmpty();
  }

  /** A constant of an enum has its name and its place before what the source declares. */
  private static int declared(JavaConstructor constructor) {
    return constructor.getRawParameterTypes().size() - (constructor.getOwner().isEnum() ? 2 : 0);
  }

  private static void only(String module, String... forbidden) {
    noClasses()
        .that()
        .resideInAPackage("dev.mainstay." + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(Arrays.copyOf(forbidden, forbidden.length))
        .check(ALL);
  }
}
