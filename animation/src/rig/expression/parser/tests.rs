use super::*;

fn value(text: &str) -> f64 {
    Code::parse(text).unwrap().evaluate(|_, _| 0.0)
}

#[test]
fn arithmetic_binds_as_usual() {
    assert_eq!(value("1+2*3-4/2"), 5.0);
    assert_eq!(value("2^3^2"), 512.0);
    assert_eq!(value("-2^2"), -4.0);
    assert_eq!(value("(1 + 2) * -3"), -9.0);
    assert_eq!(value("if(1 < 2, 10, 20) + (3 >= 4) + (2 == 2) + (5 > 4)"), 12.0);
    assert_eq!(value("clamp(7, 0, 5) + lerp(0, 10, 0.25) + min(1, 2)"), 8.5);
    assert!((value("sin(pi/6)") - 0.5).abs() < 1e-15);
    assert_eq!(value("--3"), 3.0);
    assert_eq!(value("+3 - +-2"), 5.0);
    assert_eq!(value("7 % 3 * 10 + -7 % 3"), 12.0);
    assert_eq!(value("7 % -3 + -7 % -3 + 6 % 3"), -3.0);
    assert_eq!(value("(1 != 2) + 2*(1 != 1) + 4*(1 && 0 || 2 > 1) + 8*(0 || 0) + 16*(2 && 3)"), 21.0);
    assert_eq!(value("min(3, 1, 2) + 10*max(1, 2, 3, 2) + max(0, -1)"), 31.0);
    assert_eq!(value("sign(-3) + sign(0) + 3*sign(0.1)"), 2.0);
    assert_eq!(
        value("smoothstep(1, 3, 2) + smoothstep(1, 3, 9) + smoothstep(0, 0, 0) - smoothstep(1, 1, 0)"),
        2.5
    );
    assert_eq!(value(&format!("max({}-1)", "1, ".repeat(100))), 1.0);
}

#[test]
fn names_are_variables() {
    let code = Code::parse("a*v.y + v.x*a - b").unwrap();
    assert_eq!(code.variables().collect::<Vec<_>>(), [("a", false), ("v", true), ("b", false)]);
    let value = code.evaluate(|k, c| [[2.0, 0.0, 0.0], [3.0, 5.0, 7.0], [1.0, 0.0, 0.0]][k][c]);
    assert_eq!(value, 15.0);
}

#[test]
fn mistakes_are_named_with_their_column() {
    let said = |text: &str| Code::parse(text).err().unwrap();
    assert_eq!(said("1 + ").column, 5);
    assert_eq!(said("sinn(2)").suggestion.as_deref(), Some("did you mean `sin`?"));
    assert!(said("min(1)").message.contains("takes 2 values or more, not 1"));
    assert!(said("1 + 1e999").message.contains("too large"));
    assert!(said("1 ! 2").message.contains("`!`"));
    assert!(said("sign(1, 2)").message.contains("takes 1 value"));
    assert!(said("1 $ 2").message.contains("`$`"));
    assert!(said("a + a.x").message.contains("a vector there"));
    assert!(said("v.w").message.contains("followed by"));
    assert!(said(&"(".repeat(2000)).message.contains("levels"));
    assert!(said(&format!("{}1", "2^".repeat(500))).message.contains("at once"));
    assert!(said(&"a".repeat(5000)).message.contains("bytes"));
    assert!(Code::parse(&format!("{}1", "-".repeat(3000))).is_ok());
}
