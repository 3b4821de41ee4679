package dev.ebb.host.devkit.project;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.jar.NameLength;
import dev.ebb.host.plugin.jar.SpiRange;
import dev.ebb.spi.SpiVersion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;
import org.jspecify.annotations.Nullable;

/**
 * The names of a new project.
 *
 * @param name the strategy's name, which is the plugin's id too
 */
public record ProjectSpec(
    String name,
    ProjectKind kind,
    String packageName,
    ProjectBuild build,
    ProjectLanguage language) {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final List<String> TAKEN_PACKAGES = List.of("dev.ebb.", "java.", "org.pf4j.");

  /** Packages whose types a generated class uses by their simple names. */
  private static final List<String> IMPORTED = List.of("dev.ebb.spi.", "java.lang.", "java.util.");

  /**
   * Checks the names.
   *
   * @throws UserError if one cannot be used
   */
  public ProjectSpec {
    if (!NAME.matcher(name).matches()) {
      throw new UserError(
          "'%s' must be lower-case letters, digits and inner dashes, with a letter first, such as 'my-policy'"
              .formatted(name));
    }
    if (name.equals("none") || name.equals("auto")) {
      throw new UserError("'%s' is reserved; choose another name".formatted(name));
    }
    String tooLong = NameLength.problem("the name", name);
    if (!tooLong.isEmpty()) {
      throw new UserError(tooLong);
    }
    if (build == ProjectBuild.JAVAC && language != ProjectLanguage.JAVA) {
      throw new UserError(
          "--build: 'javac' compiles only Java, not '%s'; use maven or gradle".formatted(language));
    }
    String within = packageName + ".";
    if (!SourceVersion.isName(packageName)) {
      throw new UserError(
          "--package: '%s' is not a package name, such as 'com.acme.cache'".formatted(packageName));
    }
    if (TAKEN_PACKAGES.stream().anyMatch(within::startsWith)) {
      throw new UserError(
          "--package: '%s' is reserved, and its classes would not be loaded; choose one of your own, such as 'com.acme.cache'"
              .formatted(packageName));
    }
  }

  /**
   * Returns the names of a project.
   *
   * @param packageName the package, null for {@code example.} and the name
   * @throws UserError if a name cannot be used
   */
  public static ProjectSpec of(
      String name,
      ProjectKind kind,
      @Nullable String packageName,
      ProjectBuild build,
      ProjectLanguage language) {
    String own = "example." + name.replace("-", "");
    String free = SourceVersion.isName(own) ? own : own + "policy";
    return new ProjectSpec(name, kind, packageName == null ? free : packageName, build, language);
  }

  /** Returns the strategy's class: {@code MyPolicy} for {@code my-policy}. */
  String className() {
    String camel =
        Arrays.stream(name.split("-", -1))
            .map(part -> part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1))
            .collect(Collectors.joining());
    return IMPORTED.stream().anyMatch(within -> exists(within + camel)) ? camel + "Policy" : camel;
  }

  Map<String, String> words() {
    return Map.of(
        "name",
        name,
        "class",
        className(),
        "group",
        packageName,
        "package",
        packageName,
        "requires",
        SpiRange.from(SpiVersion.current()),
        "spi",
        SpiVersion.current());
  }

  private static boolean exists(String className) {
    try {
      Class.forName(className, false, ProjectSpec.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException free) {
      return false;
    }
  }
}
