//! Below which node a contact acts, and hence which solver treats it.

use sim_core::component::collision::Attachment;

/// Where the response of two models goes, by their attributes `simulated`.
///
/// **Source:** as SOFA's SubCollisionPipeline.
pub fn attachment(first_simulated: bool, second_simulated: bool) -> Attachment {
    match (first_simulated, second_simulated) {
        (false, _) => Attachment::Second,
        (true, false) => Attachment::First,
        (true, true) => Attachment::Both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulated_side_holds_the_contact() {
        assert_eq!(attachment(false, true), Attachment::Second);
        assert_eq!(attachment(true, false), Attachment::First);
        assert_eq!(attachment(true, true), Attachment::Both);
    }
}
