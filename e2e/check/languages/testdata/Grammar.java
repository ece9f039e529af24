import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONObject;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.CategoryId;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * Reads texts with LanguageTool. The first line of its input names, for each language, the rules
 * and categories that do not count and the accepted words. Each further line is a text with its
 * language. Each line of its output is a finding, with the number of its text.
 */
public class Grammar {
  record Text(int number, String words) {}

  public static void main(String[] args) throws Exception {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var settings = new JSONObject(input.readLine());
    Map<String, List<Text>> languages = new LinkedHashMap<>();
    int number = 0;
    for (String line; (line = input.readLine()) != null; number++) {
      var text = new JSONObject(line);
      languages.computeIfAbsent(text.getString("language"), l -> new ArrayList<>())
          .add(new Text(number, text.getString("text")));
    }
    languages.entrySet().parallelStream()
        .forEach(e -> check(e.getKey(), settings.getJSONObject(e.getKey()), e.getValue()));
  }

  static void check(String language, JSONObject settings, List<Text> texts) {
    var tool = new JLanguageTool(Languages.getLanguageForShortCode(language));
    for (String off : strings(settings.getJSONArray("off"))) {
      tool.disableRule(off);
      tool.disableCategory(new CategoryId(off));
    }
    for (Rule rule : tool.getAllActiveRules()) {
      if (rule instanceof SpellingCheckRule spelling) {
        spelling.addIgnoreTokens(strings(settings.getJSONArray("accepted")));
      }
    }
    for (Text text : texts) {
      try {
        for (RuleMatch m : tool.check(text.words())) {
          print(text, m);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static List<String> strings(JSONArray all) {
    return all.toList().stream().map(Object::toString).toList();
  }

  static synchronized void print(Text text, RuleMatch m) throws IOException {
    String finding = new JSONObject()
        .put("text", text.number())
        .put("words", text.words().substring(m.getFromPos(), m.getToPos()))
        .put("sentence", m.getSentence().getText().strip())
        .put("rule", m.getRule().getId())
        .put("category", m.getRule().getCategory().getId().toString())
        .put("message", m.getMessage())
        .toString();
    System.out.write((finding + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
