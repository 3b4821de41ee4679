package dev.ebb.host.devkit;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The texts that a project for a plugin consists of, filled in. */
final class ProjectTexts {

  private final ProjectKind kind;
  private final ProjectBuild build;
  private final Map<String, String> words;
  private final UnaryOperator<String> quote;

  /**
   * The texts of one project, or of one that is a template itself.
   *
   * @param words what to put for the words of the templates
   * @param quote applied to all that is not such a word
   */
  ProjectTexts(
      ProjectKind kind,
      ProjectBuild build,
      Map<String, String> words,
      UnaryOperator<String> quote) {
    this.kind = kind;
    this.build = build;
    this.quote = quote;
    this.words = new HashMap<>(words);
    this.words.put("build", build.command());
    this.words.put("commands", fill(own("commands.md")).strip());
  }

  /**
   * The texts by file, relative to the project.
   *
   * @param folder of the package, empty or with a slash at its end
   * @param className of the strategy
   */
  Map<String, String> in(String folder, String className) {
    Map<String, String> texts = new TreeMap<>();
    String code = "src/main/java/" + folder + className;
    String resources = "src/main/resources/";
    texts.put(code + ".java", fill(own("Strategy.java")));
    texts.put(code + "Provider.java", fill(own("Provider.java")));
    texts.put(resources + "reference.conf", fill(own("reference.conf")));
    texts.put(resources + "META-INF/services/" + kind.service().getName(), fill("services"));
    texts.put("README.md", fill("README.md"));
    texts.put(".gitignore", fill("gitignore"));
    if (build == ProjectBuild.MAVEN) {
      texts.put("pom.xml", fill("pom.xml"));
      texts.put("src/test/java/" + folder + className + "Test.java", fill(own("Test.java")));
      texts.put(Libraries.inRepository("ebb-spi", version(), ".pom"), fill("spi.pom"));
      texts.put(Libraries.inRepository("ebb-spi-testkit", version(), ".pom"), fill("testkit.pom"));
    } else {
      texts.put("build.sh", fill("build.sh"));
      texts.put("manifest.txt", fill("manifest.txt"));
    }
    return texts;
  }

  private String version() {
    return String.valueOf(words.get("copy"));
  }

  private String own(String template) {
    return kind.folder() + "/" + template;
  }

  private String fill(String template) {
    return Template.fill(template, words, quote);
  }
}
