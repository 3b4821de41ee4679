package dev.ebb.llama.testing;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads what a command wrote. */
public final class JsonText {

  private JsonText() {}

  /**
   * A property's value.
   *
   * @param document a JSON object
   * @param name the property
   * @return as text
   */
  public static String field(String document, String name) {
    try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), document)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME && name.equals(json.currentName())) {
          json.nextToken();
          return json.getString();
        }
      }
    }
    throw new AssertionError("no " + name + " in " + document);
  }
}
