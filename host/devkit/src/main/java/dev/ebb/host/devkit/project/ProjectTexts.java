package dev.ebb.host.devkit.project;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The files of a project for a plugin, with their variables replaced. */
final class ProjectTexts {

  private final ProjectKind kind;
  private final ProjectBuild build;
  private final ProjectLanguage language;
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
      ProjectLanguage language,
      Map<String, String> words,
      UnaryOperator<String> quote) {
    this.kind = kind;
    this.build = build;
    this.language = language;
    this.quote = quote;
    this.words = new HashMap<>(words);
    this.words.put("build", build.command());
    this.words.put("noun", kind.noun());
    this.words.put("guide", kind.guide());
    this.words.put("service", kind.service().getSimpleName());
    this.words.put("contract", kind.contract());
    this.words.put("language", language.toString());
    this.words.put("extension", language.extension());
    this.words.put("commands", fill(own("commands.md")).strip());
    for (String part : List.of("plugin.xml", "library.xml", "plugin.gradle", "jar.gradle")) {
      boolean kotlin = language == ProjectLanguage.KOTLIN;
      this.words.put(part.replace(".", ""), kotlin ? fill("kotlin/" + part) : "");
    }
  }

  /**
   * Returns the texts by file, relative to the project.
   *
   * @param folder of the package, empty or with a slash at its end
   */
  Map<String, String> in(String folder, String className) {
    Map<String, String> texts = new TreeMap<>();
    String place = language + "/" + folder + className;
    String code = "src/main/" + place;
    String resources = "src/main/resources/";
    String extension = language.extension();
    texts.put(code + extension, fill(own("Strategy" + extension)));
    if (language == ProjectLanguage.JAVA) {
      texts.put(code + "Provider.java", fill(own("Provider.java")));
    }
    texts.put(resources + "reference.conf", fill(own("reference.conf")));
    texts.put(resources + "META-INF/services/" + kind.service().getName(), fill("services"));
    texts.put("README.md", fill("README.md"));
    texts.put(".gitignore", fill("gitignore"));
    switch (build) {
      case MAVEN -> add(texts, "pom.xml", "pom.xml", ".mvn/maven.config", "maven.config");
      case GRADLE ->
          add(texts, "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle");
      case JAVAC -> add(texts, "build.sh", "build.sh", "manifest.txt", "manifest.txt");
    }
    if (build != ProjectBuild.JAVAC) {
      texts.put("src/test/" + place + "Test" + extension, fill("Test" + extension));
    }
    return texts;
  }

  private void add(
      Map<String, String> texts, String first, String template, String second, String other) {
    texts.put(first, fill(template));
    texts.put(second, fill(other));
  }

  private String own(String template) {
    return kind + "/" + template;
  }

  private String fill(String template) {
    return Template.fill(template, words, quote);
  }
}
