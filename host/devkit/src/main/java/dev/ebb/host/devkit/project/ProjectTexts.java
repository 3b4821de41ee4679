package dev.ebb.host.devkit.project;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The files of a project for a plugin, with their variables replaced. */
final class ProjectTexts {

  private final ProjectKind kind;
  private final ProjectBuild build;
  private final Map<String, String> words;
  private final UnaryOperator<String> quote;

  /**
   * Creates the texts of one project, or of a template.
   *
   * @param quote applied to all other text
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
   * Returns the texts by file, relative to the project.
   *
   * @param folder of the package, empty or with a slash at its end
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
      texts.put(".mvn/maven.config", fill("maven.config"));
    } else {
      texts.put("build.sh", fill("build.sh"));
      texts.put("manifest.txt", fill("manifest.txt"));
    }
    return texts;
  }

  private String own(String template) {
    return kind.folder() + "/" + template;
  }

  private String fill(String template) {
    return Template.fill(template, words, quote);
  }
}
